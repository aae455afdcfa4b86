// The parts of the bench that are about other servers, one after the other, two servers beside each other and one with many peers.
import { type FoldResult, type FoldSizes, measureFold, measureStream, openPair, type StreamResult, type StreamSizes } from './border.ts';
import { type ManyResult, type ManySizes, measureMany, measureVerified, openMany, type Verified } from './many-peers.ts';
import type { Stage } from './stage.ts';
import { timed } from './telling.ts';

export type FederationSizes = { readonly stream: StreamSizes; readonly fold: FoldSizes; readonly many: ManySizes };
export type Federation = {
  readonly verified: Verified;
  readonly stream: StreamResult;
  readonly fold: FoldResult;
  readonly many: ManyResult;
};

/**
 * @param sizesNow asked at the start of each part
 * @param profileTo where the CPU profile of the server with many peers goes; null: none is made
 */
export const measureFederation = async (stage: Stage, sizesNow: () => FederationSizes, profileTo: string | null): Promise<Federation> => {
  const [pair, many] = await timed('servers that are peers', () => Promise.all([openPair(stage), openMany(stage, sizesNow().many)]));
  const stream = await timed('stream', () => measureStream(pair, sizesNow().stream));
  const fold = await timed('fold', () => measureFold(pair, sizesNow().fold));
  const verified = await timed('signed requests', () => measureVerified(many, sizesNow().many));
  if (profileTo !== null) await many.server.child.call('profile', { file: null });
  const found = await timed('many peers', () => measureMany(many, sizesNow().many));
  if (profileTo !== null) await many.server.child.call('profile', { file: profileTo });
  return { verified, stream, fold, many: found };
};
