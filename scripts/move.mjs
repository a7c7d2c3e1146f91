// `npm run move -- --to postgres://…` (or `--to file:…`): moves the whole database of DATABASE_URL to another place,
// compares every row, and holds the target until it is released. `--from` names another source.
// In the container: node scripts/move.mjs
import { operate } from './operations.mjs'

await operate('moveCommand')
