//! SHA-256 (FIPS 180-4), by which the page's policy names the one script and the styles that may run.

/// "sha256-…" as a content-security policy writes it.
pub fn source(text: &str) -> String {
    format!("'sha256-{}'", crate::base64::base64(&digest(text.as_bytes())))
}

fn digest(message: &[u8]) -> [u8; 32] {
    let mut state = fractions::<8>(|p| p.sqrt());
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64), 0);
    let end = padded.len() - 8;
    padded[end..].copy_from_slice(&(8 * message.len() as u64).to_be_bytes());
    let k = fractions::<64>(|p| p.cbrt());
    for block in padded.chunks_exact(64) {
        compress(&mut state, block, &k);
    }
    let mut out = [0; 32];
    for (bytes, word) in out.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    out
}

fn compress(state: &mut [u32; 8], block: &[u8], k: &[u32; 64]) {
    let mut w = [0u32; 64];
    for (word, bytes) in w.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
    }
    for i in 16..64 {
        let (a, b) = (w[i - 15], w[i - 2]);
        let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
        let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
        w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for i in 0..64 {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(k[i]).wrapping_add(w[i]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
    }
    for (s, x) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *s = s.wrapping_add(x);
    }
}

// the first 32 bits of the fractional parts of a root of the first primes, as the standard defines its constants
fn fractions<const N: usize>(root: impl Fn(f64) -> f64) -> [u32; N] {
    let mut primes = (2u32..).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0));
    std::array::from_fn(|_| {
        let x = root(f64::from(primes.next().unwrap_or(2)));
        ((x - x.floor()) * 4_294_967_296.0) as u32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(text: &str) -> String {
        digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The examples of the standard, and lengths around a block (against coreutils' sha256sum).
    #[test]
    fn fips_180_4() {
        assert_eq!(hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        let two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(two_blocks), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        let of = |n: usize| hex(&"a".repeat(n));
        LENGTHS.iter().for_each(|(n, expected)| assert_eq!(of(*n), *expected, "{n} letters"));
    }

    const LENGTHS: [(usize, &str); 4] = [
        (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
        (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
        (63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
        (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
    ];
}
