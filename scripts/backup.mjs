// `npm run backup`: makes one backup now in BACKUP_TO, sealed with BACKUP_KEY, whether or not Fieldhook is running.
// `-- --list` lists the backups · `-- --new-key` prints a new BACKUP_KEY. In the container: node scripts/backup.mjs
import { operate } from './operations.mjs'

await operate('backupCommand')
