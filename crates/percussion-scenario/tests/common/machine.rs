//! What decides the last bits of a motion: the processor, its vector unit (factorisations choose by it) and the system's sine.

/// A fingerprint of the system's elementary functions.
fn elementary() -> u32 {
    let mut hash = 0x811c_9dc5_u32;
    for k in 1..4000 {
        let x = 0.37 * f64::from(k);
        for y in [x.sin(), x.cos(), x.sqrt().exp(), x.ln(), x.powf(-1.0 / 3.0), x.atan2(0.7), x.hypot(1.3)] {
            for byte in y.to_bits().to_le_bytes() {
                hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
            }
        }
    }
    hash
}

/// The kind of machine, as it stands in the names of recorded hashes.
pub fn kind() -> String {
    #[cfg(target_arch = "x86_64")]
    let vectors = if std::arch::is_x86_feature_detected!("avx512f") {
        "avx512"
    } else if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        "avx2"
    } else {
        "sse2"
    };
    #[cfg(not(target_arch = "x86_64"))]
    let vectors = "plain";
    format!("{}-{}-{vectors}-{:08x}", std::env::consts::ARCH, std::env::consts::OS, elementary())
}
