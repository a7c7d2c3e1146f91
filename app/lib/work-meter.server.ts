// Attributes the thread's processor time to requests. Each request has a meter; where its work continues (it starts,
// calls the store, renders), it registers, and time is charged to the last registered meter. Uses no promise hooks;
// background work, waiting and other programs are charged to no meter.

export interface Meter {
  /** ms of processor time so far. */
  ms: number
  /** The account it acts for, once proven. */
  account: string | null
}

let at: Meter | null = null
let since = 0

/** Charges the thread's time to `meter` from now on; null = to no meter. */
export function workFor(meter: Meter | null): void {
  if (meter === at) return
  const now = processorMs()
  if (at) at.ms += now - since
  at = meter
  since = now
}

/** Closes the meter: the thread now does other work. */
export function endWork(meter: Meter): void {
  if (at === meter) workFor(null)
}

// For this thread where Node provides it (22.19 and newer), otherwise for the whole process.
const usage: () => NodeJS.CpuUsage =
  typeof process.threadCpuUsage === 'function' ? () => process.threadCpuUsage() : () => process.cpuUsage()

function processorMs(): number {
  const { user, system } = usage()
  return (user + system) / 1_000
}
