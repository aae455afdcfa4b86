// The bus inside one process. Several replicas in one process (tests, the bench) may share it.
import type { UserId } from '../wire/address.ts';
import type { Bus, DeliveryKind, EndSessions, LocalMembers } from './port.ts';

export class MemoryBus implements Bus {
  readonly #replicas = new Map<string, LocalMembers>();

  async deliver(to: UserId, frame: Uint8Array, kind: DeliveryKind): Promise<boolean> {
    for (const local of this.#replicas.values()) {
      if (local.deliver(to, frame, kind)) return true;
    }
    return false;
  }

  hintDispatch(owner: string, holder: UserId): void {
    this.#replicas.get(owner)?.dispatch(holder);
  }

  endSessions(userId: UserId, options: EndSessions): void {
    for (const local of this.#replicas.values()) local.endSessions(userId, options);
  }

  serve(replicaId: string, local: LocalMembers): { close(): void } {
    this.#replicas.set(replicaId, local);
    return { close: () => void this.#replicas.delete(replicaId) };
  }
}
