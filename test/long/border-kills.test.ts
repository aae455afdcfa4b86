// kill -9 of either of two servers in the middle of what goes between them: some of the points by turns, so that each scene, side, server and ending
// has its share; `BORDER_KILLS=all` kills at all of them.
import { BORDER_KILLS, killsAcross } from '../support/border-kills.ts';

const EVERY = process.env['BORDER_KILLS'] === 'all' ? 1 : 7;

killsAcross(BORDER_KILLS.filter((_, turn) => turn % EVERY === 0));
