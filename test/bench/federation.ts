// The parts of the bench that are about other servers, one after the other, two servers beside each other and one with many peers.
import { type FoldResult, type FoldSizes, measureFold, measureStream, openPair, type StreamResult, type StreamSizes } from './border.ts';
import { type ManyResult, type ManySizes, measureMany, measureVerified, openMany, type Verified } from './many-peers.ts';
import { Stage } from './stage.ts';

export type FederationSizes = { readonly stream: StreamSizes; readonly fold: FoldSizes; readonly many: ManySizes };
export type Federation = {
  readonly verified: Verified;
  readonly stream: StreamResult;
  readonly fold: FoldResult;
  readonly many: ManyResult;
};

/** @param profileTo where the CPU profile of the server with many peers goes; null: none is made */
export const measureFederation = async (sizes: FederationSizes, profileTo: string | null): Promise<Federation> => {
  await using stage = new Stage();
  const [pair, many] = await Promise.all([openPair(stage), openMany(stage, sizes.many)]);
  const [stream, fold] = [await measureStream(pair, sizes.stream), await measureFold(pair, sizes.fold)];
  const verified = await measureVerified(many, sizes.many);
  if (profileTo !== null) await many.server.child.call('profile', { file: null });
  const found = await measureMany(many, sizes.many);
  if (profileTo !== null) await many.server.child.call('profile', { file: profileTo });
  return { verified, stream, fold, many: found };
};
