import { cpus, release, totalmem, type } from 'node:os'

/** One line about the machine, so that a printed figure says where it was measured. */
export function describeMachine(): string {
  const cores = cpus()
  const model = cores[0]?.model.trim() || 'unknown processor'
  const memory = (totalmem() / 2 ** 30).toFixed(1)
  return `${model}, ${cores.length} cores, ${memory} GiB, ${type()} ${release()}, Node ${process.version}`
}
