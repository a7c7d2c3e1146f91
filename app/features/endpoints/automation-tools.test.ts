import { describe, expect, test } from 'vitest'
import { addressWord, answerWord, recogniseTool } from './automation-tools.ts'

const ZAPIER = 'https://hooks.zapier.com/hooks/catch/123/abc/'
const MAKE = 'https://hook.eu1.make.com/abcdefgh'
const N8N = 'https://firm.app.n8n.cloud/webhook/job-changed'
const FLOW =
  'https://prod-12.westeurope.logic.azure.com:443/workflows/1/triggers/manual/paths/invoke?api-version=1&sig=x'
const SCRIPT = 'https://script.google.com/macros/s/AKfycb/exec'

describe('a tool is recognised by its address', () => {
  test.each([
    [ZAPIER, 'Zapier'],
    [MAKE, 'Make'],
    ['https://hook.us2.make.com/x', 'Make'],
    ['https://hook.integromat.com/x', 'Make'],
    [N8N, 'n8n'],
    ['https://n8n.example.com/webhook/x', 'n8n'],
    ['https://automation.example.com/webhook-test/x', 'n8n'],
    [FLOW, 'Power Automate'],
    ['https://1.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/1', 'Power Automate'],
    [SCRIPT, 'Google Apps Script'],
  ])('%s', (url, name) => {
    expect(recogniseTool(url)?.name).toBe(name)
  })

  test.each([
    ['https://example.com/webhook/job'],
    ['https://hooks.zapier.com.example.com/hooks/catch/1/2'],
    ['https://nothook.make.com.example.com/x'],
    ['https://make.com/x'],
    ['https://logic.azure.com.example.com/x'],
    ['https://example.com/n8n.cloud'],
    ['not an address'],
    [''],
  ])('and nothing else is: %s', (url) => {
    expect(recogniseTool(url)).toBeNull()
  })

  test('n8n on a host of its own is known by the words of its answer', () => {
    const url = 'https://automation.example.com/webhook/job'
    const answer = '{"code":404,"message":"The requested webhook \\"OPTIONS job\\" is not registered."}'
    expect(recogniseTool(url)).toBeNull()
    expect(recogniseTool(url, answer)?.name).toBe('n8n')
  })
})

describe('what can be seen from the address alone', () => {
  const word = (url: string) => addressWord(recogniseTool(url), url)

  test('is nothing for one that is as it should be', () => {
    for (const url of [ZAPIER, MAKE, N8N, FLOW]) expect(word(url)).toBeNull()
  })

  test.each([
    ['https://firm.app.n8n.cloud/webhook-test/job', 'warn', /test address of n8n/],
    [FLOW.replace('&sig=x', ''), 'warn', /no key/],
    [SCRIPT, 'warn', /failed delivery/],
    [SCRIPT.replace('/exec', '/dev'), 'fail', /test address of the script/],
  ])('%s: %s', (url, verdict, sentence) => {
    expect(word(url)).toEqual({
      verdict,
      sentence: expect.stringMatching(sentence),
      fix: expect.stringMatching(/.{20,}/),
    })
  })
})

describe('what an answer of a tool means', () => {
  const word = (url: string, status: number, to: 'event' | 'check' = 'event') =>
    answerWord(recogniseTool(url), status, to)

  test.each([
    [ZAPIER, 'Zap'],
    [MAKE, 'scenario'],
    [N8N, 'workflow'],
    [FLOW, 'flow'],
    [SCRIPT, 'deployment'],
  ])('404 of %s: the %s may be switched off', (url, thing) => {
    expect(word(url, 404)).toMatchObject({
      verdict: 'fail',
      sentence: expect.stringContaining(`answered 404: the ${thing} may be switched off or deleted`),
      fix: expect.stringContaining('switch it on'),
    })
  })

  test('a good answer of Zapier says nothing about the Zap, and of n8n nothing to a look', () => {
    expect(word(ZAPIER, 200)).toMatchObject({ verdict: 'ok', sentence: expect.stringContaining('with the Zap off') })
    expect(word(N8N, 204, 'check')).toMatchObject({
      verdict: 'ok',
      sentence: expect.stringContaining('with the workflow off'),
    })
    expect(word(N8N, 200)).toBeNull()
  })

  test('a redirect of Apps Script means that the script has run', () => {
    expect(word(SCRIPT, 302)).toMatchObject({ verdict: 'warn', sentence: expect.stringContaining('the script ran') })
  })

  test('a refusal of a look is no fault where the tool takes events only', () => {
    expect(word(SCRIPT, 405, 'check')).toMatchObject({ verdict: 'ok' })
    expect(word(FLOW, 401, 'check')).toMatchObject({ verdict: 'warn', fix: expect.stringContaining('Anyone') })
    expect(word(FLOW, 401)).toMatchObject({ verdict: 'fail' })
  })

  test('everything else means what it means from anybody', () => {
    expect(word('https://example.com/', 404)).toBeNull()
    expect(word(MAKE, 200)).toBeNull()
    expect(word(MAKE, 500)).toBeNull()
  })
})
