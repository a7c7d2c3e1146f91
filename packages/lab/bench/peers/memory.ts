// Memory of a program and all its descendants, from /proc.
import { readdirSync, readFileSync } from 'node:fs'
import { residentMb } from '../processes.ts'

/** Resident memory of the process and its descendants, MB, and their number; null where the system has no figure. */
export function treeMemory(root: number): { megabytes: number; processes: number } | null {
  const pids = treeOf(root, parents())
  const each = pids.flatMap((pid) => residentMb(pid) ?? [])
  return each.length === 0 ? null : { megabytes: each.reduce((sum, one) => sum + one, 0), processes: each.length }
}

/** `root` and all of its descendants. */
export function treeOf(root: number, parentOf: ReadonlyMap<number, number>): number[] {
  const found = [root]
  for (const pid of found) for (const [child, parent] of parentOf) if (parent === pid) found.push(child)
  return found
}

function parents(): Map<number, number> {
  const found = new Map<number, number>()
  for (const name of list('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = read(`/proc/${name}/stat`)
    // The name in parentheses may contain anything, including parentheses.
    const parent = stat?.slice(stat.lastIndexOf(') ') + 2).split(' ')[1]
    if (parent) found.set(Number(name), Number(parent))
  }
  return found
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
