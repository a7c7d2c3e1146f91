// The steps of a Dockerfile as data, so that they can be performed by hand and compared.

export interface DockerStage {
  /** Shell commands of RUN, in order. Excludes those that affect only the image's own system. */
  runs: string[]
  /** COPY --from=build, paths relative to the working directory of each stage. */
  copies: { from: string; to: string }[]
  env: Record<string, string>
  /** CMD, in its list form; empty when missing. */
  command: string[]
}

/** Commands that only exist in an image: its package managers and its users. */
const OF_THE_SYSTEM = /\/usr\/|\binstall -d\b|\bapt-get\b/

/** @param text a Dockerfile whose stages are all `FROM node:<version>-<distribution>` */
export function readDockerfile(text: string): { node: string; stages: DockerStage[] } {
  const stages: DockerStage[] = []
  let node = ''
  const whole = text.replace(/^#.*\n/gm, '').replace(/\\\n\s*/g, ' ')
  for (const line of whole.split('\n')) {
    const [, word, rest = ''] = line.match(/^([A-Z]+) (.*)$/) ?? []
    const stage = stages.at(-1)
    if (word === 'FROM') {
      node = rest.match(/^node:([\d.]+)-/)?.[1] ?? ''
      stages.push({ runs: [], copies: [], env: {}, command: [] })
    }
    if (!stage) continue
    if (word === 'RUN' && !OF_THE_SYSTEM.test(rest)) stage.runs.push(rest)
    if (word === 'ENV') for (const [, name = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) stage.env[name] = value
    if (word === 'CMD') stage.command = JSON.parse(rest) as string[]
    const copy = word === 'COPY' && rest.match(/^--from=build \/app\/(\S+) (\S+)$/)
    if (copy) stage.copies.push({ from: copy[1] ?? '', to: copy[2] ?? '' })
  }
  return { node, stages }
}
