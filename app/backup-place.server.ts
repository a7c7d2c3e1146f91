// The place for backups that the environment names.
import { backupFolder } from './adapters/backup-folder.server.ts'
import type { BackupPlace } from './adapters/backup-place.ts'
import { backupS3 } from './adapters/backup-s3.server.ts'
import { assertNever } from './lib/assert-never.ts'
import type { BackupTo } from './lib/backup-settings.ts'

export function placeOf(to: BackupTo): BackupPlace {
  switch (to.kind) {
    case 'folder':
      return backupFolder(to.path)
    case 's3':
      return backupS3(to)
    default:
      return assertNever(to)
  }
}
