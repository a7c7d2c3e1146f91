// Dynamic mappings survive a tab switch and a reload: stored in this browser tab, per account.
import { useEffect, useState } from 'react'
import { type DynamicMappings, exportMappings, readMappings } from '../dynamic-mapping.ts'

/** Inside a frame, browser storage may be denied: then mappings last as long as the page. */
const inMemory = new Map<string, DynamicMappings>()

/** Returns the account's mappings and their setter; empty on the server and on first render. */
export function useKeptMappings(accountId: string): [DynamicMappings, (mappings: DynamicMappings) => void] {
  const [mappings, setMappings] = useState<DynamicMappings>({})
  useEffect(() => setMappings(load(accountId)), [accountId])
  return [
    mappings,
    (changed) => {
      setMappings(changed)
      keep(accountId, changed)
    },
  ]
}

function placeOf(accountId: string): string {
  return `fieldhook.dynamic-mappings.${accountId}`
}

function load(accountId: string): DynamicMappings {
  const known = inMemory.get(accountId)
  if (known) return known
  try {
    const read = readMappings(sessionStorage.getItem(placeOf(accountId)) ?? '')
    return read.outcome === 'read' ? read.mappings : {}
  } catch {
    return {}
  }
}

function keep(accountId: string, mappings: DynamicMappings): void {
  inMemory.set(accountId, mappings)
  try {
    sessionStorage.setItem(placeOf(accountId), exportMappings(mappings, new Date().toISOString()))
  } catch {
    // Denied or full: the mappings stay in memory.
  }
}
