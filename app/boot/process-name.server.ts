// A name for this process that another one on the machine can check.
import { readFileSync, readlinkSync } from 'node:fs'
import { performance } from 'node:perf_hooks'

/** This machine since its boot, this process id namespace, and this process since its start. */
export function processName(): string {
  const machine = readSystem(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
  const namespace = readSystem(() => readlinkSync('/proc/self/ns/pid'))
  return `${machine}|${namespace}|${process.pid}|${Math.round(performance.timeOrigin)}`
}

function readSystem(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

/**
 * Whether the process that held the lease ended without releasing it. Known only on the same machine; otherwise its
 * lease has to expire. A reused process id with another start time is another process.
 */
export function isGone(owner: string, self: string): boolean {
  const [machine, namespace, pid, startedAt] = owner.split('|')
  const [ourMachine, ourNamespace, ourPid, ourStart] = self.split('|')
  if (!machine || !namespace || machine !== ourMachine || namespace !== ourNamespace) return false
  if (pid === ourPid) return startedAt !== ourStart
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
