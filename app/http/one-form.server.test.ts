import { expect, test } from 'vitest'
import { readOneForm } from './one-form.server.ts'

const EDIT = 'intent=update&id=3&accountUUID=a&was=callback_url%3Dx&callback_url='
const MAIL =
  'intent=mail_settings&all=yes&accountUUID=a&was=byMail%3Dyes%26closedDays%3Dd1%250Ad2&byMail=yes&closedDays='

/** The pressed form, and what the others hold. */
function read(sent: string) {
  const { pressed, others } = readOneForm(new URLSearchParams(sent))
  return [pressed && String(pressed), Object.fromEntries([...others].map(([key, form]) => [key, form && String(form)]))]
}

test('without a press all that was sent is one form', () => {
  expect(read('intent=delete&id=3')).toEqual(['intent=delete&id=3', {}])
})

test('a button with values of its own acts by them; what was typed elsewhere is told apart from what is saved', () => {
  const press = encodeURIComponent('intent=pause&id=4')
  expect(
    read(`intent=create&accountUUID=a&was=&object=&callback_url=&press=${press}&${EDIT}y&${MAIL}d1%0D%0Ad2`),
  ).toEqual(['intent=pause&id=4', { 'create ': null, 'update 3': `${EDIT}y`, 'mail_settings ': null }])
  expect(read(`${MAIL}d1&go=webhook-1&replay=1&since=x&press=`)).toEqual([
    'go=webhook-1&replay=1&since=x',
    { 'mail_settings ': `${MAIL}d1` },
  ])
})

test('a button of a form sends that form alone; Enter the only one that was typed into', () => {
  const sent = 'intent=update&id=3&accountUUID=a&callback_url=y'
  expect(read(`press=&intent=create&object=&${EDIT}y`)).toEqual([sent, { 'create ': null }])
  expect(read(`intent=create&object=job&${EDIT}y&press=`)).toEqual([sent, { 'create ': 'intent=create&object=job' }])
  expect(read(`press=&intent=create&object=job&${EDIT}y`)).toEqual([
    null,
    { 'create ': 'intent=create&object=job', 'update 3': `${EDIT}y` },
  ])
})
