export const { performance } = globalThis
