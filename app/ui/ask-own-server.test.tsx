import { expect, test } from 'vitest'
import { askOwnServer } from './ask-own-server.tsx'

test.each(['https://elsewhere.example/x', '//elsewhere.example/x', '/\\elsewhere.example', 'relative'])(
  'never asks another site: %s',
  (address) => {
    expect(() => askOwnServer(address)).toThrow('only paths of this site')
  },
)
