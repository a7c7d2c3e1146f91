// What strangers write (a booking's description, a name, an address) put through every destination: the table of the security
// page, row by row.
import { describe, expect, test } from 'vitest'
import { AT, wholeJob } from '#tests/support/record-facts.ts'
import { safeSentHtml, withSafeEmails } from '../email-html.ts'
import { definitionOf } from '../rule-definition.ts'
import { ruleForm } from '../rule-form.ts'
import type { Destination } from './placeholder-format.ts'
import { resolveText } from './placeholders.ts'

function say(template: string, value: string, destination: Destination): string {
  const account = { name: 'Alder & Finch', email: 'o@x.test', zone: AT.zone, currency: 'GBP', country: 'GB' }
  const records = [wholeJob({ job_description: value })]
  return resolveText(template, destination, { records, trigger: {}, results: {}, order: [], account, now: AT.now }).text
}
const IT = '{job.job_description}'

describe('HTML of an e-mail', () => {
  test.each([
    ['<script>x</script>', '&lt;script&gt;x&lt;/script&gt;'],
    ['"><img src=x onerror=y>', '&quot;&gt;&lt;img src=x onerror=y&gt;'],
    ['&lt;b&gt;', '&amp;lt;b&amp;gt;'],
    ['<platform-user-signature/>', '&lt;platform-user-signature/&gt;'],
  ])('%s is text', (value, text) => {
    expect(say(`<p>${IT}</p>`, value, 'html')).toBe(`<p>${text}</p>`)
    expect(say(`<p title="${IT}">`, value, 'html')).toBe(`<p title="${text}">`)
  })

  test.each(['javascript:x', ' JavaScript:x', 'java\tscript:x', 'java\nscript:x', 'data:text/html,x', 'vbscript:x'])(
    'an address that would run something leads nowhere: %j',
    (value) => {
      expect(say(`<a href="${IT}">x</a>`, value, 'html')).toBe('<a href="#">x</a>')
    },
  )

  test('tags of the author are made safe when the rule is saved, placeholders stay', () => {
    const { body } = withSafeEmails({
      name: 'n',
      triggerSource: 'manual_endpoint',
      actions: [
        {
          type: 'send_email',
          parameters: {
            contentType: 'html',
            customHtmlSubject: 's',
            customHtmlBody: '<p onclick="x()">{company_name}</p><script>y</script>',
          },
        },
      ],
    })
    const [step] = definitionOf(ruleForm.parse(body), null).steps
    expect(step?.parameters.customHtmlBody).toBe('<p>{company_name}</p>')
  })

  test.each(['title=">"', "title='>'", 'title="a>b>c"'])(
    'a link stays inside its tag whatever stands before it: %s',
    (before) => {
      expect(say(`<a ${before} href="${IT}">x</a>`, 'javascript:alert(1)', 'html')).toBe(`<a ${before} href="#">x</a>`)
    },
  )

  test('halves of an address that come together when values are put in do not make one that runs', () => {
    const written = '<a href="java{job_description}">x</a>'
    expect(safeSentHtml(say(written, 'script:alert(1)', 'html'))).toBe('<a>x</a>')
  })
})

describe('a subject', () => {
  test.each([
    'a\r\nBcc: x@y.test',
    'a\nBcc: x@y.test',
    'a\u2028Bcc: x@y.test',
    'a\u0085Bcc: x@y.test',
    'a\tBcc: x@y.test',
  ])('is one line whatever the value is: %j', (value) => {
    expect(say(`Job: ${IT}`, value, 'subject')).toBe('Job: a Bcc: x@y.test')
  })
})

describe('a text message', () => {
  test('carries no control characters and nothing that turns its direction around', () => {
    expect(say(IT, 'a\u0000\u0007\u001b[31mb\u202ec\u2066d\u2069e\ufefff', 'sms')).toBe('a[31mbcdef')
  })
  test('keeps marks that ordinary right-to-left text needs', () => {
    expect(say(IT, 'א\u200fב', 'sms')).toBe('א\u200fב')
  })
})

describe('JSON', () => {
  test.each(['","admin":true,"x":"', '\\', '\u2028', '</script>', '\n'])('a value stays one value: %j', (value) => {
    const json = `{"text":"${say(IT, value, 'json')}"}`
    expect(Object.keys(JSON.parse(json))).toEqual(['text'])
  })
})

describe('names', () => {
  test.each(['__proto__', 'constructor', 'job.__proto__', 'entry.0.constructor', 'toString', 'trigger.__proto__.x'])(
    '{%s} stands for nothing',
    (name) => {
      expect(say(`a{${name}}b`, 'x', 'plain')).toBe('ab')
    },
  )
})

test('what was filled in is never read again', () => {
  for (const destination of ['plain', 'html', 'subject', 'sms', 'field'] as const) {
    expect(say(`${IT}|`, '{company_name}{action_1_result}', destination)).toContain('{company_name}{action_1_result}')
  }
})
