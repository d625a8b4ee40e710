//! A process in which no device can be opened. In a program of its own: the answer stays.

use hrx_runtime::RuntimeError;
use hrx_runtime::context::{Context, finish_process};

#[test]
fn the_reason_why_there_is_no_device_is_found_once_and_told_to_every_call() {
    let first = Context::get_or_open(&|_| Err("the driver is not there".to_owned()));
    let second = Context::get_or_open(&|_| unreachable!("it was asked before"));
    for answer in [first, second] {
        match answer {
            Err(RuntimeError::NoDevice { reason }) => {
                assert_eq!(reason, "the driver is not there")
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(Context::current().is_none());
    // The end of such a process has nothing to do.
    finish_process();
}
