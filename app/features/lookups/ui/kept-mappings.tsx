// Dynamic mappings outlast a change of tabs and a reload: kept in this browser tab, for each account on its own.
import { useEffect, useState } from 'react'
import { type DynamicMappings, exportMappings, readMappings } from '../dynamic-mapping.ts'

/** A frame may be denied the browser's storage: then they last as long as the page. */
const inMemory = new Map<string, DynamicMappings>()

/** The account's mappings and how to change them; empty on the server and for the first drawing. */
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
    // Denied or full: they are still in memory.
  }
}
