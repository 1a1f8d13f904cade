/** Which package manager installed the package, as far as its folder and the environment tell, and what is special about it. */

/** The name and version of the package manager that runs this command, as it tells its children; undefined: none runs it. */
function runningManager(): string | undefined {
  const [name, version] = (process.env.npm_config_user_agent ?? '').split(' ')[0]!.split('/')
  return name ? `${name} ${version ?? ''}`.trim() : undefined
}

/** How a folder of the package looks that a package manager has made. */
const LAYOUTS: readonly (readonly [part: RegExp, name: string, hint: string])[] = [
  [
    /\.zip[\\/]|[\\/]__virtual__[\\/]/,
    "Yarn's Plug'n'Play",
    "; Yarn must unpack the package: run 'yarn unplug timeout-wheel'",
  ],
  [/[\\/]\.yarn[\\/]unplugged[\\/]/, "Yarn's Plug'n'Play, unpacked", ''],
  [/[\\/]\.pnpm[\\/]/, 'pnpm', ''],
  [/[\\/](_npx|dlx)[\\/-]/, 'the cache of npx or dlx', ''],
]

const layoutOf = (directory: string) => LAYOUTS.find(([part]) => part.test(directory))

export function managerName(directory: string): string {
  const layout = layoutOf(directory)?.[1]
  const running = runningManager()
  if (running === undefined) return layout ?? 'unknown: the folder is an ordinary node_modules'
  return layout === undefined ? running : `${running}; folder of ${layout}`
}

/** What to do besides, for this package manager. */
export const layoutHint = (directory: string): string => layoutOf(directory)?.[2] ?? ''
