// Offers the check of the frozen vectors to the test, which hands the vectors over.
import { checkVectors } from '../../../support/vectors.ts';

Object.assign(globalThis, { checkVectors });
