// The backup storage from the environment.
import { backupFolder } from '#app/adapters/backup-folder.server.ts'
import type { BackupPlace } from '#app/adapters/backup-place.ts'
import { backupS3 } from '#app/adapters/backup-s3.server.ts'
import type { BackupTo } from '#app/lib/backup-settings.ts'

export function placeOf(to: BackupTo): BackupPlace {
  return to.kind === 'folder' ? backupFolder(to.path) : backupS3(to)
}
