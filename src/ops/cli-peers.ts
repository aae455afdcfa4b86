// The commands about peers and the server's keys: what each is called, takes and says about itself.
import { type Command, Option } from 'commander';
import type { Moving } from '../federation/peering.ts';
import type { Common, Invocation, Invoke, WithSettings } from './cli-parts.ts';
import { confirm } from './terminal.ts';

type Careful = Common & { readonly dryRun?: boolean; readonly yes?: boolean };
type Rotating = Careful & { readonly kind: 'identity' | 'transport'; readonly compromised?: boolean; readonly restored?: boolean };
type Parts = { readonly invoke: Invoke; readonly withSettings: WithSettings };

const CEREMONY = `
How two servers, A and B, become peers:
  1. B:     reedbed keys print > b.asc                   and sends that file to A.
  2. A:     reedbed peers invite --key b.asc > for-b     B's admin reads B's fingerprint to A's over another channel (a call, say).
                                                         If it is the same, A sends B the file.
  3. B:     reedbed peers accept for-b                   A's admin reads A's fingerprint to B's.
  4. Both:  reedbed peers approve <the other's id>       The second of the two makes it live.
At each step \`reedbed peers show <id>\` says what comes next, and \`reedbed keys print\` one's own fingerprint.

Where two members are root or admin, who approves is another than who invited or accepted; the command line is somebody else than they.
Without an https address REEDBED_ALLOW_PRIVATE_PEERS=on is needed, for servers and commands of both sides.`;

/** A command's options that take nothing away without being asked. */
const careful = (command: Command): Command =>
  command.option('--dry-run', 'only say what would become of it').option('--yes', 'do it without asking');

const askedOf = ({ dryRun = false, yes = false }: Careful, { json }: Invocation) => ({
  ...{ dryRun, isSure: yes },
  confirm: process.stdin.isTTY === true && !json ? confirm : null,
});

/** The settings among a command's options. */
const common = <T extends Careful>({ dryRun: _dryRun, yes: _yes, ...rest }: T) => rest;

export const addPeers = (program: Command, { invoke, withSettings }: Parts): void => {
  const peers = program
    .command('peers')
    .description('see the servers with which this one exchanges reeds, begin with new ones, end with old ones');
  peers.addHelpText('after', CEREMONY);
  withSettings(peers.command('list'))
    .description('print the peerings: state, whether the peer answers, server, name, address')
    .action(async (options: Common) => (await import('./peers.ts')).runPeersList(invoke(options)));
  withSettings(peers.command('show'))
    .description('print all about one peering: how it stands, what comes next, what is owed')
    .argument('<server>', 'its id')
    .action(async (server: string, options: Common) => (await import('./peers.ts')).runPeersShow({ ...invoke(options), server }));
  withSettings(peers.command('invite'))
    .description('make a connection string for another server')
    .requiredOption('--key <file>', "file with the other server's key; - reads standard input")
    .option('--server <id>', 'its id, if that key is not its first')
    .action(async ({ key, server, ...options }: Common & { key: string; server?: string }) => {
      const { runPeersInvite } = await import('./peers.ts');
      await runPeersInvite({ ...invoke(options), key, ...(server === undefined ? {} : { server }) });
    });
  careful(withSettings(peers.command('accept')))
    .description("answer another server's connection string; it is shown, and asked about, before anything is done")
    .argument('<string>', 'what the other admin sent, or the file with it; - reads standard input, and needs --yes')
    .action(async (connection: string, options: Careful) => {
      const invocation = invoke(common(options));
      const { runPeersAccept } = await import('./peers.ts');
      process.exitCode = await runPeersAccept({ ...invocation, ...askedOf(options, invocation), connection });
    });
  addMoves(peers, { invoke, withSettings });
};

const MOVES: Readonly<Record<Moving, string>> = {
  approve: 'approve a peering; after a key was compromised, by the id of its new key',
  suspend: 'pause a peering: nothing goes either way, and nothing is forgotten',
  resume: 'end the pause of a peering; what was missed follows',
  revoke: 'end a peering for good; members keep the copies they have',
};

const addMoves = (peers: Command, { invoke, withSettings }: Parts): void => {
  for (const [moving, description] of Object.entries(MOVES) as [Moving, string][]) {
    careful(withSettings(peers.command(moving)))
      .description(description)
      .argument('<server>', moving === 'approve' ? 'its id, or fingerprint@id' : 'its id')
      .action(async (target: string, options: Careful) => {
        const invocation = invoke(common(options));
        const { runPeersMove } = await import('./peers.ts');
        process.exitCode = await runPeersMove({ ...invocation, ...askedOf(options, invocation), moving, target });
      });
  }
};

export const addKeys = (program: Command, { invoke, withSettings }: Parts): void => {
  const keys = program.command('keys').description("show this server's key, and make its keys anew");
  withSettings(keys.command('print'))
    .description('print the public identity key, for admins of other servers')
    .action(async (options: Common) => (await import('./keys.ts')).runKeysPrint(invoke(options)));
  careful(withSettings(keys.command('rotate')))
    .description('make a new key: announced first, so that peers know it when it signs')
    .addOption(new Option('--kind <kind>', 'which').choices(['identity', 'transport']).default('transport'))
    .option('--compromised', 'the present one is in other hands: it ends at once')
    .option('--restored', 'the database came back from a backup: peers and members saw what it does not remember')
    .addHelpText(
      'after',
      '\nA running server takes the new key up within a minute. The identity key is what members and peers know this server by: a new one signs three days\nafter it was announced, and what older ones signed holds on. The transport key signs calls to peers: a new one does so after ten minutes.\nA key in other hands (--compromised) ends at once; after that of an identity key, each peering has to be approved again on both sides.\nA server that came back from an older backup may be taken for another by peers and members, who saw later documents of it: --restored mends that.',
    )
    .action(async ({ kind, compromised = false, restored = false, ...options }: Rotating) => {
      const invocation = invoke(common(options));
      const { runKeysRotate } = await import('./keys.ts');
      process.exitCode = await runKeysRotate({ ...invocation, ...askedOf(options, invocation), kind, compromised, restored });
    });
};
