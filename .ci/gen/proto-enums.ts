// Reads the error and close codes with their options out of proto/reedbed/v1/common.proto, for code and documents alike.
import { join } from 'node:path';
import protobuf from 'protobufjs';

export type ErrorRow = {
  readonly name: string;
  readonly number: number;
  readonly httpStatus: number;
  readonly retryable: boolean;
  readonly comment: string;
};
export type CloseRow = { readonly name: string; readonly number: number; readonly clientPolicy: string; readonly comment: string };

const POLICIES = ['reconnect', 'sign-in', 'stop'];

async function loadEnum(root: string, name: string): Promise<protobuf.Enum> {
  const loaded = new protobuf.Root();
  loaded.resolvePath = (_origin, target) =>
    target.startsWith('google/') ? join(root, 'node_modules/protobufjs', target) : join(root, 'proto', target);
  await loaded.load('reedbed/v1/common.proto', { alternateCommentMode: true });
  return loaded.lookupEnum(`reedbed.v1.${name}`);
}

/** Finds an option by its last name, whichever way the parser qualifies it. */
function optionOf(from: protobuf.Enum, value: string, option: string): unknown {
  const options: Record<string, unknown> = from.valuesOptions?.[value] ?? {};
  const key = Object.keys(options).find((name) => name.replace(/[()]/g, '').split('.').at(-1) === option);
  if (key === undefined) throw new Error(`${from.name}.${value} has no option ${option}`);
  return options[key];
}

export async function errorRows(root: string): Promise<ErrorRow[]> {
  const found = await loadEnum(root, 'ErrorCode');
  return Object.entries(found.values).map(([name, number]) => ({
    name,
    number,
    httpStatus: Number(optionOf(found, name, 'http_status')),
    retryable: String(optionOf(found, name, 'retryable')) === 'true',
    comment: found.comments[name] ?? '',
  }));
}

export async function closeRows(root: string): Promise<CloseRow[]> {
  const found = await loadEnum(root, 'CloseCode');
  return Object.entries(found.values).map(([name, number]) => {
    const clientPolicy = String(optionOf(found, name, 'client_policy'));
    if (!POLICIES.includes(clientPolicy)) throw new Error(`CloseCode.${name}: ${clientPolicy} is no client policy`);
    return { name, number, clientPolicy, comment: found.comments[name] ?? '' };
  });
}
