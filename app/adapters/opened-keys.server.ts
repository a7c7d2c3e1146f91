// Opened account keys in memory: limited in number, and wiped when dropped.

interface OpenedKey {
  id: string
  key: Buffer
  /** The sealed text it was stored for: another text in the row means another key. */
  keySealed: string
}

export interface OpenedKeys {
  /** Null = not cached, or cached for a text other than `keySealed`. */
  find(accountUuid: string, keySealed: string): OpenedKey | null
  /** Drops the oldest key when there are too many. */
  keep(accountUuid: string, opened: OpenedKey): void
  /** Overwrites it too. */
  drop(accountUuid: string): void
  size(): number
}

export function createOpenedKeys(most: number): OpenedKeys {
  const opened = new Map<string, OpenedKey>()

  function drop(accountUuid: string): void {
    opened.get(accountUuid)?.key.fill(0)
    opened.delete(accountUuid)
  }

  return {
    find(accountUuid, keySealed) {
      const known = opened.get(accountUuid)
      return known?.keySealed === keySealed ? known : null
    },
    keep(accountUuid, key) {
      drop(accountUuid)
      opened.set(accountUuid, key)
      const [oldest = ''] = opened.keys()
      if (opened.size > most) drop(oldest)
    },
    drop,
    size: () => opened.size,
  }
}
