// `npm run restore`: restores a backup to the file of DATABASE_URL, checks it first, and holds it until it is released.
// `-- [name|latest] [--to file] [--replace] [--list]`. In the container: node scripts/restore.mjs
import { operate } from './operations.mjs'

await operate('restoreCommand')
