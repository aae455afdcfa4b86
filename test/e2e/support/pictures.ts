// Where pictures are left for a person to look at.
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const PICTURES = process.env['WEB_PICTURES'] ?? join(tmpdir(), 'reedbed-pictures');
