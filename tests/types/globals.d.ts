declare function describe(title: string, body: () => void): void;
declare function it(title: string, body: () => Promise<void>): void;
