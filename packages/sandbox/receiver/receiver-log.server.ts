// The receiver's log: the latest requests by name, bounded in number and in bytes, lost when the process ends.
import type { Received } from './received.ts'
import { secretKey } from './signature.server.ts'

export const KEEP_A_NAME = 50
const KEEP_NAMES = 100
const KEEP_BYTES = 16 * 1024 * 1024
const KEEP_SECRETS = 10

interface Shelf {
  /** Oldest first. */
  requests: Received[]
  /** Count since the start or the last clearing. */
  total: number
  /** A query as `behaviour.ts` defines it. */
  behaviour: string
  keys: Buffer[]
}

export interface ReceiverLog {
  /** Names that received something or were set up, in alphabetical order. */
  names(): string[]
  /** Newest first. */
  requests(name: string): readonly Received[]
  total(name: string): number
  add(request: Received): void
  /** Deletes the received requests; behaviour and secrets stay. */
  clear(name: string): void
  behaviourOf(name: string): string
  setBehaviour(name: string, query: string): void
  /** Newest last; at most ten are kept. */
  keysOf(name: string): readonly Buffer[]
  addSecret(name: string, secret: string): 'added' | 'not_a_secret'
  forgetSecrets(name: string): void
  /** Calls back after every change; returns the unsubscribe function. */
  onChange(tell: () => void): () => void
}

export function createReceiverLog(): ReceiverLog {
  const shelves = new Map<string, Shelf>()
  const listeners = new Set<() => void>()
  let held = 0

  function shelfOf(name: string): Shelf {
    const known = shelves.get(name)
    if (known) return known
    const shelf: Shelf = { requests: [], total: 0, behaviour: '', keys: [] }
    shelves.set(name, shelf)
    if (shelves.size > KEEP_NAMES) {
      const oldest = shelves.keys().next().value
      if (oldest !== undefined) {
        clear(oldest)
        shelves.delete(oldest)
      }
    }
    return shelf
  }

  function dropOldest(shelf: Shelf): void {
    const gone = shelf.requests.shift()
    if (gone) held -= sizeOf(gone)
  }

  function clear(name: string): void {
    const shelf = shelves.get(name)
    if (!shelf) return
    while (shelf.requests.length > 0) dropOldest(shelf)
    shelf.total = 0
  }

  function tell(): void {
    for (const listener of [...listeners]) listener()
  }

  return {
    names: () => [...shelves.keys()].sort(),
    requests: (name) => [...(shelves.get(name)?.requests ?? [])].reverse(),
    total: (name) => shelves.get(name)?.total ?? 0,
    add(request) {
      const shelf = shelfOf(request.name)
      shelf.requests.push(request)
      shelf.total++
      held += sizeOf(request)
      if (shelf.requests.length > KEEP_A_NAME) dropOldest(shelf)
      while (held > KEEP_BYTES) {
        const fullest = [...shelves.values()].reduce((a, b) => (b.requests.length > a.requests.length ? b : a))
        dropOldest(fullest)
      }
      tell()
    },
    clear(name) {
      clear(name)
      tell()
    },
    behaviourOf: (name) => shelves.get(name)?.behaviour ?? '',
    setBehaviour(name, query) {
      shelfOf(name).behaviour = query
      tell()
    },
    keysOf: (name) => shelves.get(name)?.keys ?? [],
    addSecret(name, secret) {
      const key = secretKey(secret)
      if (!key) return 'not_a_secret'
      const shelf = shelfOf(name)
      shelf.keys = [...shelf.keys.filter((one) => !one.equals(key)), key].slice(-KEEP_SECRETS)
      tell()
      return 'added'
    },
    forgetSecrets(name) {
      shelfOf(name).keys = []
      tell()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function sizeOf(request: Received): number {
  const headers = request.headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  return request.body.length + headers + request.target.length + 200
}
