// Against a small mail server that does what it is told, over a real socket.
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createSmtpMailer } from './smtp-mailer.server.ts'

const LIMIT = 400

interface Told {
  /** Answers by command; others are well. `null` = no answer at all; `cut` = the connection ends. */
  answers?: Partial<Record<'greeting' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'text', string | null>>
}

interface Heard {
  url: string
  commands: string[]
  /** The text of each mail that was taken. */
  taken: string[]
}

const servers: Server[] = []
const sockets = new Set<Socket>()
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve))
})

async function mailServer({ answers = {} }: Told = {}): Promise<Heard> {
  const heard: Heard = { url: '', commands: [], taken: [] }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    const say = (step: keyof NonNullable<Told['answers']>, well: string) => {
      const answer = step in answers ? answers[step] : well
      if (answer === 'cut') socket.destroy()
      else if (typeof answer === 'string') socket.write(`${answer}\r\n`)
    }
    let text: string | null = null
    let rest = ''
    say('greeting', '220 here')
    socket.on('data', (chunk) => {
      rest += chunk.toString('latin1')
      for (let end = rest.indexOf('\r\n'); end !== -1; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end)
        rest = rest.slice(end + 2)
        if (text !== null) {
          if (line !== '.') text += `${line}\n`
          else {
            if (!('text' in answers)) heard.taken.push(text)
            text = null
            say('text', '250 queued')
          }
          continue
        }
        heard.commands.push(line)
        const [command = ''] = line.split(' ')
        if (command === 'EHLO') say('EHLO', answers.AUTH === undefined ? '250 here' : '250-here\r\n250 AUTH PLAIN')
        else if (command === 'AUTH') say('AUTH', '235 fine')
        else if (command === 'MAIL') say('MAIL', '250 fine')
        else if (command === 'RCPT') say('RCPT', '250 fine')
        else if (command === 'DATA') {
          say('DATA', '354 go on')
          if (!('DATA' in answers)) text = ''
        } else if (command === 'QUIT') socket.end('221 bye\r\n')
        else socket.write('250 fine\r\n')
      }
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const address = server.address()
  heard.url = `smtp://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return heard
}

const MAIL = { to: 'owner@example.com', subject: 'Thank the customer failed', text: 'Open it: https://x.example/a' }
const send = (url: string, over: Partial<typeof MAIL> = {}) =>
  createSmtpMailer({ url, from: 'fieldhook@example.com' }, { limitMs: LIMIT }).send({ ...MAIL, ...over })

test('a mail is given to the server, from and to one address each', async () => {
  const heard = await mailServer()
  expect(await send(heard.url)).toEqual({ outcome: 'ok' })
  expect(heard.commands.slice(1, 4)).toEqual([
    'MAIL FROM:<fieldhook@example.com>',
    'RCPT TO:<owner@example.com>',
    'DATA',
  ])
  expect(heard.taken[0]).toContain('Subject: Thank the customer failed')
  expect(heard.taken[0]).toContain('Auto-Submitted: auto-generated')
  expect(heard.taken[0]).toContain('https://x.example/a')
})

test('a server that takes it and bounces it later has taken it: nothing is repeated', async () => {
  const heard = await mailServer({ answers: { RCPT: '250 fine for now' } })
  expect(await send(heard.url)).toEqual({ outcome: 'ok' })
  expect(heard.taken).toHaveLength(1)
})

test.each([
  ['MAIL', '550 5.7.1 not from here'],
  ['RCPT', '550 5.1.1 no such user'],
  ['DATA', '554 no'],
  ['text', '552 too big'],
] as const)('a refusal at %s is final, and says what the server said', async (step, answer) => {
  const heard = await mailServer({ answers: { [step]: answer } })
  expect(await send(heard.url)).toMatchObject({ outcome: 'refused', message: expect.stringContaining(answer.slice(4)) })
  expect(heard.taken).toEqual([])
})

test('refused credentials are final', async () => {
  const heard = await mailServer({ answers: { AUTH: '535 wrong' } })
  expect(await send(heard.url.replace('smtp://', 'smtp://me:secret@'))).toMatchObject({ outcome: 'refused' })
})

test.each([
  ['greeting', '421 busy', false],
  ['AUTH', '454 later', false],
  ['MAIL', '451 later', true],
  ['RCPT', '450 greylisted', true],
  ['text', '451 later', true],
] as const)('"come again" at %s has certainly sent nothing', async (step, answer, isOfThisMail) => {
  const heard = await mailServer({ answers: { [step]: answer } })
  const url = step === 'AUTH' ? heard.url.replace('smtp://', 'smtp://me:secret@') : heard.url
  const ended = await send(url)
  expect(ended).toMatchObject({ outcome: 'unavailable', undone: true })
  expect('answered' in ended).toBe(isOfThisMail)
})

test.each(['greeting', 'EHLO', 'MAIL', 'RCPT'] as const)(
  'a server that hangs at %s costs its time limit, and has sent nothing',
  async (step) => {
    const heard = await mailServer({ answers: { [step]: null } })
    const began = performance.now()
    const ended = await send(heard.url)
    expect(ended).toMatchObject({ outcome: 'unavailable', undone: true })
    expect(ended).not.toHaveProperty('answered')
    expect(performance.now() - began).toBeLessThan(LIMIT * 4)
  },
)

test.each([
  ['hangs', null],
  ['ends the connection', 'cut'],
] as const)('a server that %s after the text may have sent it', async (_does, answer) => {
  const heard = await mailServer({ answers: { text: answer } })
  const ended = await send(heard.url)
  expect(ended).toMatchObject({ outcome: 'unavailable' })
  expect(ended).not.toHaveProperty('undone')
})

test('a server that is not there has sent nothing', async () => {
  const heard = await mailServer()
  await new Promise((resolve) => servers.pop()?.close(resolve))
  expect(await send(heard.url)).toEqual({
    outcome: 'unavailable',
    status: null,
    message: 'The mail server cannot be reached.',
    undone: true,
  })
})

test.each([
  ['a line break', 'owner@example.com\r\nBcc: x@evil.example'],
  ['a list', 'owner@example.com, x@evil.example'],
  ['a name around it', 'Owner <owner@example.com>, <x@evil.example>'],
])('an address with %s reaches nobody else', async (_what, to) => {
  const heard = await mailServer()
  await send(heard.url, { to })
  expect(heard.commands.filter((line) => line.startsWith('RCPT') && /<x@evil/.test(line))).toEqual([])
  expect(heard.taken.join('')).not.toMatch(/^Bcc:/m)
})

test('a subject with a line break stays one header', async () => {
  const heard = await mailServer()
  await send(heard.url, { subject: 'Rule\r\nBcc: x@evil.example\r\n\r\nHello' })
  expect(heard.taken[0]).toContain('Subject: Rule Bcc: x@evil.example Hello')
  expect(heard.taken[0]).not.toMatch(/^Bcc:/m)
})

test('another machine is never reached without TLS', async () => {
  const heard = await mailServer()
  // The same server by a name that is not this machine's own.
  const { port } = new URL(heard.url)
  expect(await send(`smtp://127.0.0.2:${port}`)).toMatchObject({ outcome: 'unavailable', undone: true })
  expect(heard.taken).toEqual([])
})
