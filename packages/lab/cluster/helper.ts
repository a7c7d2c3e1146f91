// A process beside the proof, and questions to it: each is answered once, in any order.
import { type ChildProcess, fork } from 'node:child_process'

/** What a helper can be asked: name, arguments and answer. All of it goes through a pipe as JSON. */
export type Duties = Record<string, (...given: never[]) => unknown>

export interface Helper<D extends Duties> {
  ask<Name extends keyof D & string>(name: Name, ...given: Parameters<D[Name]>): Promise<Awaited<ReturnType<D[Name]>>>
  /** Called, instead of whoever was before, for each thing that it tells without being asked. */
  onTold(hear: (told: unknown) => void): void
  end(): void
}

interface Question {
  id: number
  name: string
  given: unknown[]
}
type Answer = { id: number; value?: unknown; error?: string } | { told: unknown }

/** @param program a bundled file that calls `serveDuties`; `role` is its first argument */
export function startHelper<D extends Duties>(program: string, role: string): Helper<D> {
  const child: ChildProcess = fork(program, [role], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const open = new Map<number, { done(value: unknown): void; fail(error: Error): void }>()
  let hearer: (told: unknown) => void = () => {}
  let asked = 0
  child.on('message', (message: Answer) => {
    if ('told' in message) {
      hearer(message.told)
      return
    }
    const waiting = open.get(message.id)
    open.delete(message.id)
    if (message.error === undefined) waiting?.done(message.value)
    else waiting?.fail(new Error(message.error))
  })
  child.once('exit', (code) => {
    for (const { fail } of open.values()) fail(new Error(`the helper "${role}" ended with ${code}`))
    open.clear()
  })
  return {
    ask(name, ...given) {
      return new Promise((done, fail) => {
        const question: Question = { id: asked++, name, given }
        open.set(question.id, { done: (value) => done(value as never), fail })
        child.send(question)
      })
    },
    onTold(hear) {
      hearer = hear
    },
    end: () => child.disconnect(),
  }
}

/** The other side. The process ends when its parent lets go of it. */
export function serveDuties(duties: Duties): void {
  process.on('disconnect', () => process.exit())
  process.on('message', ({ id, name, given }: Question) => {
    const duty = duties[name] as ((...given: unknown[]) => unknown) | undefined
    Promise.resolve()
      .then(() => (duty ? duty(...given) : Promise.reject(new Error(`nobody can ${name}`))))
      .then(
        (value) => process.send?.({ id, value } satisfies Answer),
        (error: unknown) => process.send?.({ id, error: String(error) } satisfies Answer),
      )
  })
}

/** Tells the parent something that it did not ask for. */
export function tell(told: unknown): void {
  process.send?.({ told } satisfies Answer)
}
