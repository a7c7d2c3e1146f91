// The mark that holds a file: a file beside it.
import { existsSync, rmSync } from 'node:fs'
import type { HoldMark } from '../hold.ts'
import { databaseFiles } from './database-files.server.ts'

export function fileHold({ file, marker }: { file: string; marker: string }): HoldMark {
  return {
    isSet: async () => existsSync(marker),
    clear: async () => rmSync(marker, { force: true }),
    waiting: async () => databaseFiles.waiting(file),
  }
}
