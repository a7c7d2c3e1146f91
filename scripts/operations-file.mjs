// Build output for the backup commands, separate from the server.
import { fileURLToPath } from 'node:url'

export const OPERATIONS = fileURLToPath(new URL('../build/operations.js', import.meta.url))
export const OPERATIONS_SOURCE = 'app/commands/operations.server.ts'
