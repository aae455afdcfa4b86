// The parts of the bench that are about other servers, one after the other, each on servers of its own.
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

const between = async (sizes: FederationSizes): Promise<Pick<Federation, 'stream' | 'fold'>> => {
  await using stage = new Stage();
  const pair = await openPair(stage);
  return { stream: await measureStream(pair, sizes.stream), fold: await measureFold(pair, sizes.fold) };
};

const among = async ({ many: sizes }: FederationSizes, profileTo: string | null): Promise<Pick<Federation, 'verified' | 'many'>> => {
  await using stage = new Stage();
  const many = await openMany(stage, sizes);
  const verified = await measureVerified(many, sizes);
  if (profileTo !== null) await many.server.child.call('profile', { file: null });
  const found = await measureMany(many, sizes);
  if (profileTo !== null) await many.server.child.call('profile', { file: profileTo });
  return { verified, many: found };
};

/** @param profileTo where the CPU profile of the server with many peers goes; null: none is made */
export const measureFederation = async (sizes: FederationSizes, profileTo: string | null): Promise<Federation> => ({
  ...(await between(sizes)),
  ...(await among(sizes, profileTo)),
});
