// Keys under a passphrase are made with the fewest rounds that the format has: what a passphrase costs whoever guesses it is no matter of
// these tests, and at the library's count each server that a test starts would compute a tenth of a second for nothing.
import { config } from 'openpgp';

// Run anew for each file of a worker: our own code has frozen what the first of them set.
if (!Object.isFrozen(config)) {
  // 65 536 bytes are hashed, not 16 MiB.
  config.s2kIterationCountByte = 96;
}
