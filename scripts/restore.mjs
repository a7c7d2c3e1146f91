// `npm run restore`: a backup back to the file of DATABASE_URL, checked before it is put there, and held until somebody looked.
// `-- [name|latest] [--to file] [--replace] [--list]`. In the container: node scripts/restore.mjs
import { operate } from './operations.mjs'

await operate('restoreCommand')
