import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { curlCommand } from './curl.ts'

test('an event becomes a command with its address, its headers and its body', () => {
  const command = curlCommand({ url: 'https://a.example/in?x=1&y=2', headers: { 'webhook-id': 'evt_1' }, body: '{}' })
  expect(command).toBe("curl -X POST 'https://a.example/in?x=1&y=2' \\\n  -H 'webhook-id: evt_1' \\\n  --data-raw '{}'")
})

test('whatever a body contains, a shell passes it on as it stands', () => {
  const body = `{"name":"O'Brien $(date) \`id\` \\"quoted\\"","path":"C:\\\\x","text":"a\\nb"}`
  const command = curlCommand({ url: "https://a.example/it's", headers: { h: "it's" }, body })
  const printed = execFileSync('sh', ['-c', command.replace('curl', "printf '%s\\0'")], { encoding: 'utf8' })
  expect(printed.split('\0').slice(0, -1)).toEqual([
    '-X',
    'POST',
    "https://a.example/it's",
    '-H',
    "h: it's",
    '--data-raw',
    body,
  ])
})
