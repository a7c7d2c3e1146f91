// Account keys in a map, with the same guarantees as the table.
import type { Keyring, SealedKey } from '#app/adapters/secret-box.ts'

export interface MemoryKeyring extends Keyring {
  rows: Map<string, SealedKey>
  forget(accountUuid: string): void
}

export function memoryKeyring(rows = new Map<string, SealedKey>()): MemoryKeyring {
  const listeners: ((accountUuid: string) => void)[] = []
  return {
    rows,
    async find(accountUuid) {
      return rows.get(accountUuid) ?? null
    },
    async keep(accountUuid, key) {
      if (!rows.has(accountUuid)) rows.set(accountUuid, key)
      return rows.get(accountUuid) ?? null
    },
    onForgotten: (tell) => void listeners.push(tell),
    forget(accountUuid) {
      rows.delete(accountUuid)
      for (const tell of listeners) tell(accountUuid)
    },
  }
}
