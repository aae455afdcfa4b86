// Documents that are tables of the code: the published codes and the configuration.
import { configTable } from '../../src/config/describe.ts';
import { closeRows, errorRows } from './proto-enums.ts';

const prose = (comment: string): string => comment.replace(/\s+/g, ' ').trim();

const configuration = (): string => `# Configuration

Generated from \`src/config/settings.ts\` and \`src/base/limits.ts\` by \`npm run gen\`; not edited by hand. The environment comes before
\`reedbed.toml\`. Names that are not listed here are refused. \`reedbed config\` prints what is in force.

Calls to peers trust the authorities that Node trusts. An operator whose peers have certificates of an authority of their own gives its
certificate, PEM, in a file that Node's own \`NODE_EXTRA_CA_CERTS\` names when the server starts.

${configTable()}
`;

/** The generated pages of specs/ by path. */
export async function generateDocs(root: string): Promise<Map<string, string>> {
  const [errors, closes] = await Promise.all([errorRows(root), closeRows(root)]);
  const errorLines = errors.map(
    (row) => `| ${row.number} | \`${row.name}\` | ${row.httpStatus} | ${row.retryable ? 'yes' : 'no'} | ${prose(row.comment)} |\n`,
  );
  const closeLines = closes.map((row) => `| ${row.number} | \`${row.name}\` | ${row.clientPolicy} | ${prose(row.comment)} |\n`);
  const codes = `# Codes

Generated from \`proto/reedbed/v1/common.proto\` by \`npm run gen\`; not edited by hand.

## Error codes

An HTTP problem document carries the name in \`code\`; an ERROR frame carries the number. "Retry" says whether the same request may
succeed later without being changed; an answer that knows how long to wait says so.

| number | code | HTTP status | retry | |
| --- | --- | --- | --- | --- |
${errorLines.join('')}
## Close codes

The code with which the server ends a member's socket, and what a client does next. A close with any other number, or none, counts
as \`CLOSE_UNSPECIFIED\`.

| number | code | client | |
| --- | --- | --- | --- |
${closeLines.join('')}`;
  return new Map([
    ['specs/protocol/codes.md', codes],
    ['specs/configuration.md', configuration()],
  ]);
}
