// Whose work is the thread doing? Each request has a meter. Wherever its own work goes on (it begins, asks the store, draws its page)
// it says so, and the processor time since the last such word belongs to whoever gave that one. No hook into promises, nothing for
// work that nobody asked for, and time in which the thread waits or other programs run counts for nobody.

export interface Meter {
  /** ms of processor time so far. */
  ms: number
  /** The account it acts for, as far as that was proved. */
  account: string | null
}

let at: Meter | null = null
let since = 0

/** From now on the thread works for `meter`; null = for nobody in particular. */
export function workFor(meter: Meter | null): void {
  if (meter === at) return
  const now = processorMs()
  if (at) at.ms += now - since
  at = meter
  since = now
}

/** What was used for it is complete: the thread does something else now. */
export function endWork(meter: Meter): void {
  if (at === meter) workFor(null)
}

// Of this thread where Node can tell (22.19 and newer), else of the whole process.
const usage: () => NodeJS.CpuUsage =
  typeof process.threadCpuUsage === 'function' ? () => process.threadCpuUsage() : () => process.cpuUsage()

function processorMs(): number {
  const { user, system } = usage()
  return (user + system) / 1_000
}
