import { expect, test } from 'vitest'
import { checkRule } from '../rules/checks/rule-check.ts'
import { definitionOf } from '../rules/rule-definition.ts'
import { ruleForm } from '../rules/rule-form.ts'
import { ruleBodyExample } from './api-examples.ts'

test('the example of an automation would be saved, placeholders and all', () => {
  expect(checkRule(definitionOf(ruleForm.parse(ruleBodyExample), null))).toEqual([])
})
