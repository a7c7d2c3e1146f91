import { expect, test } from 'vitest'
import { openingProblem } from './cannot-start.ts'

const HERE = { file: '/data/x.db', folder: '/data', user: 1000, isFull: false }

test.each([
  ['SQLITE_FULL', false, 'The disk of /data is full.', '"The disk is full"'],
  ['ENOSPC', false, 'The disk of /data is full.', '"The disk is full"'],
  ['SQLITE_IOERR_SHMSIZE', true, 'The disk of /data is full.', '"The disk is full"'],
  ['SQLITE_CANTOPEN', true, 'The disk of /data is full.', '"The disk is full"'],
  ['SQLITE_IOERR_READ', false, 'The disk of /data fails (SQLITE_IOERR_READ).', 'dmesg'],
  ['SQLITE_CORRUPT_INDEX', true, 'The database /data/x.db is damaged', '"The file is damaged"'],
  ['SQLITE_NOTADB', false, 'The database /data/x.db is damaged', '"The file is damaged"'],
  ['SQLITE_READONLY', true, 'This process (user 1000) cannot write in /data.', 'chown 1000 /data /data/x.db*'],
  ['EACCES', false, 'This process (user 1000) cannot write /data/x.db.', 'or name another place'],
  ['ENOTDIR', false, '/data/x.db cannot be a folder: a file is in its place', 'Name another place.'],
  ['SQLITE_BUSY', false, 'Another program holds the database /data/x.db.', 'Run one Fieldhook only'],
])('%s, with a full disk: %s', (code, isFull, sentence, next) => {
  const problem = openingProblem(code, { ...HERE, isFull })
  expect(problem?.sentence).toContain(sentence)
  expect(problem?.next).toContain(next)
})

test('what nobody knows gets no sentence', () => {
  expect(openingProblem('SQLITE_MISUSE', { ...HERE, isFull: true })).toBeNull()
})
