// kill -9 of either of two servers in the middle of what goes between them: one point of each scene. More of them: test/long/border-kills.test.ts.
import { BORDER_KILLS, killsAcross } from '../support/border-kills.ts';

const CHOSEN = ['before ledger_forwarded', 'after fold_holder_said', 'before streams_next', 'at-commit insert into received_streams'];

killsAcross(BORDER_KILLS.filter(({ isEmptied, side, statement }) => !isEmptied && CHOSEN.includes(`${side} ${statement}`)));
