import { expect, test } from 'vitest'
import { createOpenedKeys } from './secret-box.server.ts'

const opened = (keySealed: string) => ({ id: keySealed, key: Buffer.from([1, 2, 3]), keySealed })

test('a key is found as what it was kept, and as nothing else', () => {
  const keys = createOpenedKeys(9)
  const key = opened('sealed')
  keys.keep('leeds', key)
  expect(keys.find('leeds', 'sealed')).toBe(key)
  expect(keys.find('leeds', 'sealed anew')).toBeNull()
  expect(keys.find('york', 'sealed')).toBeNull()
})

test('what is dropped or replaced is overwritten, every byte', () => {
  const keys = createOpenedKeys(9)
  const [first, second] = [opened('a'), opened('b')]
  keys.keep('leeds', first)
  keys.keep('leeds', second)
  expect([...first.key]).toEqual([0, 0, 0])
  expect([...second.key]).toEqual([1, 2, 3])
  keys.drop('leeds')
  expect([...second.key]).toEqual([0, 0, 0])
  expect([keys.find('leeds', 'b'), keys.size()]).toEqual([null, 0])
  keys.drop('leeds')
})

test('so many are remembered and no more; the one kept first goes, and is overwritten', () => {
  const keys = createOpenedKeys(2)
  const first = opened('a')
  keys.keep('leeds', first)
  keys.keep('york', opened('b'))
  expect([keys.size(), [...first.key]]).toEqual([2, [1, 2, 3]])
  keys.keep('hull', opened('c'))
  expect([keys.size(), [...first.key]]).toEqual([2, [0, 0, 0]])
  expect(keys.find('leeds', 'a')).toBeNull()
  expect(keys.find('york', 'b')?.id).toBe('b')
  expect(keys.find('hull', 'c')?.id).toBe('c')
})
