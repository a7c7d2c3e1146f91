import { expect, test } from 'vitest'
import { ruleBodyExample } from './api-examples.ts'
import { checkRule } from './rule-check.ts'
import { definitionOf, ruleForm } from './rule-form.ts'

test('the example of an automation would be saved, placeholders and all', () => {
  expect(checkRule(definitionOf(ruleForm.parse(ruleBodyExample), null))).toEqual([])
})
