// The drill: can the product continue from the newest backup? Restores it to the side, checks, starts, removes it.
import { join } from 'node:path'
import { type BackupParts, BackupTrouble, stepTimer, withWorkFolder } from './backup-work.server.ts'
import { staleSentence } from './backups.ts'
import { checkCopy, chooseBackup, fetchCopy } from './restore-backup.server.ts'

interface DrillRequest {
  databaseFile: string
  /** Opens one stored credential of the copy with the current keys. A sentence when it fails. */
  opensCredential(copy: string): Promise<'opens' | 'none' | { sentence: string }>
  /** Starts the product on the copy in quarantine and checks readiness. A sentence when it is not ready. */
  starts(copy: string): Promise<'ready' | { sentence: string }>
}

/** Rejects with a `BackupTrouble` (a sentence) or the storage's error. Leaves nothing behind. */
export async function drillBackup(parts: BackupParts, request: DrillRequest) {
  const { databaseFile } = request
  const { seconds, step } = stepTimer()
  const backup = await step('find', () => chooseBackup(parts, 'latest'))
  return withWorkFolder(databaseFile, 'drill', async (folder) => {
    const file = join(folder, 'copy.db')
    await fetchCopy(parts, backup, { folder, file, step })
    await step('check', () => checkCopy(parts, backup, file))
    const stale = staleSentence(backup.manifest.takenAt, parts.files.newestEventAt(databaseFile))
    if (stale) throw new BackupTrouble(stale)
    const credential = await request.opensCredential(file)
    if (typeof credential !== 'string') throw new BackupTrouble(credential.sentence)
    const started = await step('start', () => request.starts(file))
    if (started !== 'ready') throw new BackupTrouble(started.sentence)
    return {
      name: backup.name,
      databaseBytes: backup.manifest.bytes,
      storedBytes: backup.manifest.parts.reduce((sum, part) => sum + part.bytes, 0),
      credential,
      rows: backup.manifest.rows,
      seconds,
    }
  })
}
