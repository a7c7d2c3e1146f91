import { expect, test } from 'vitest'
import { fieldsShown } from './fields-shown.ts'
import { shortAddress } from './search-view.ts'

test.each([
  ['https://hooks.example.com/catch/1?a=b', 'hooks.example.com/catch/1'],
  ['https://example.com/', 'example.com'],
  ['https://hooks.example.com/hooks/catch/123456/abcdef', 'hooks.example.com/…/abcdef'],
  ['https://hooks.example.com/0123456789abcdef0123456789', 'hooks.example.com/…ef0123456789'],
  ['https://a-very-long-host-name.of.a.customer.example.com', 'a-very-long-host-name.of.a.customer.example.com'],
])('%s is short for a row', (url, short) => {
  expect(shortAddress(url)).toBe(short)
})

test('the status comes first, and fields that hold ids do not come', () => {
  expect(fieldsShown(['completion_actioned_by_uuid', 'completion_date', 'status'])).toBe('status, completion_date')
})
