// `npm run backup`: one backup now, to the place in BACKUP_TO, sealed with BACKUP_KEY; beside a running Fieldhook or without it.
// `-- --list` what is there · `-- --new-key` a new key for BACKUP_KEY. In the container: node scripts/backup.mjs
import { operate } from './operations.mjs'

await operate('backupCommand')
