// Which forms are on conform, and why the others are not. A new form with fields is on conform, or says here why not.
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Fields that a person fills in and posts; decision 0043 says when conform is worth its script. */
const NOT_ON_CONFORM: Readonly<Record<string, string>> = {
  'app/features/accounts/ui/erase-page.tsx': 'one field, compared with the name of the account on the server',
  'app/features/automations/page/ui/ask-run-panel.tsx': 'one field: which record',
  'app/features/automations/page/ui/beside-form.tsx': 'one field: the text of a copy, which only the server reads',
  'app/features/automations/page/ui/fill-blanks.tsx': 'the blanks of a rule are its fields: only the server knows them',
  'app/features/automations/settings/ui/settings-form.tsx': 'plain fields: the browser keeps them, the server judges',
  'app/features/endpoints/ui/mail-settings.tsx': 'one field and a box, judged by the server',
  'app/features/endpoints/ui/webhook-controls.tsx': 'a box beside a button',
  'app/features/lookups/ui/mapping-dialogs.tsx': 'kept in the browser alone: nothing is posted',
  'app/features/templates/ui/template-library.tsx':
    'plain fields of a given length: what is refused is said once, for the whole form',
  'app/features/templates/ui/template-sheet.tsx': 'the blanks of a template are its fields: only the server knows them',
}

const FORM = /<(?:Form|form|[a-z]\w*\.Form)\b/
const FIELD = /<(?:TextInput|TextField|Select|SelectField|Checkbox|FieldPicker|textarea|FieldErrors)\b/
const CONFORM = /\buse(?:Manager)?Form\b/
/** Searches: their values stand in the address, and nothing is saved. */
const ONLY_ASKS = (text: string) => /method="get"/.test(text) && !/method="post"/.test(text)

const files = globSync('app/**/*.tsx').filter((file) => !file.endsWith('.test.tsx'))
const withFields = files.filter((file) => {
  const text = readFileSync(file, 'utf8')
  return FORM.test(text) && FIELD.test(text) && !ONLY_ASKS(text)
})
const usesConform = (file: string) => CONFORM.test(readFileSync(file, 'utf8'))

test('every form with fields to post is on conform, or is named here with its reason', () => {
  expect(withFields.filter((file) => !usesConform(file)).sort()).toEqual(Object.keys(NOT_ON_CONFORM).sort())
})

test('the forms of webhooks and forwarding rules are on conform', () => {
  expect(withFields.filter(usesConform).length).toBeGreaterThanOrEqual(1)
})
